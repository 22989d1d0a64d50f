-- The greeting of the sidebar of a course, and the questions that it offers first.

ALTER TABLE course_embeddings ADD COLUMN greeting TEXT;

ALTER TABLE course_embeddings ADD COLUMN starters JSON DEFAULT '[]' NOT NULL;
