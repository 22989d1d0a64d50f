-- How sure an answer of a course has to be.

ALTER TABLE courses ADD COLUMN relevance FLOAT;
