-- What a language model said of the passages of a course, by the digest of their text.

CREATE TABLE enrichments (
    course_id TEXT COLLATE "C" NOT NULL,
    digest TEXT COLLATE "C" NOT NULL,
    questions JSON NOT NULL,
    summary TEXT NOT NULL,
    languages JSON NOT NULL,
    model TEXT NOT NULL,
    prompt INTEGER NOT NULL,
    CONSTRAINT pk_enrichments PRIMARY KEY (course_id, digest),
    CONSTRAINT fk_enrichments_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);
