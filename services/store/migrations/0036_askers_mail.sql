-- The address and time of the e-mail to a student who asked a real TA.

ALTER TABLE waiting_questions ADD COLUMN email TEXT;

ALTER TABLE waiting_questions ADD COLUMN mail_at TIMESTAMP WITH TIME ZONE;

CREATE INDEX ix_waiting_questions_mail_at ON waiting_questions (mail_at);
