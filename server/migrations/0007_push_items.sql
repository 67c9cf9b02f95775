-- An item is written three times in the life of a push: planned, sent, settled. What its indexes do not hold changes on
-- its page and in no index (HOT), where the page has room for it. Who looks for states or times comes by the push.
drop index push_item_state;
drop index push_item_settled;
alter table push_item set (fillfactor = 60);
