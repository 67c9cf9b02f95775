import nodemailer from 'nodemailer';

export interface MailSettings {
  /** `smtp://user:password@host:port`, or `smtps://` */
  url: string;
  from: string;
}

export interface Mailer {
  /** Hands a mail to the mail server; throws what the server says against it. */
  send(mail: { to: readonly string[]; subject: string; text: string }): Promise<void>;
  close(): void;
}

/** Null where no mail server is set up. */
export function createMailer(settings: MailSettings | null): Mailer | null {
  if (!settings) return null;
  const transport = nodemailer.createTransport(settings.url, { from: settings.from });
  return {
    send: async ({ to, subject, text }) => {
      await transport.sendMail({ to: [...to], subject, text });
    },
    close: () => transport.close(),
  };
}
