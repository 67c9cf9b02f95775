// Makes once what the tests against real systems begin with, so that none of them has to wait for it: the Tryton
// database that each clones. Nothing where it is there already, or where Tryton is missing, which the tests then say.
import { joinTrytonCluster } from '@sluice/testing/tryton-cluster';
import { findTrytonProblem } from '@sluice/testing/tryton-process';

if (findTrytonProblem() === null) await (await joinTrytonCluster()).release();
