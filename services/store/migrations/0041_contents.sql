-- The files that the tables of contents of a course name, in order.

ALTER TABLE documents ADD COLUMN contents JSON DEFAULT '[]' NOT NULL;

ALTER TABLE removed_documents ADD COLUMN contents JSON DEFAULT '[]' NOT NULL;
