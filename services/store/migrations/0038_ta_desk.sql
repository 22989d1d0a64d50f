-- The account that takes care of a waiting question, its manual group, its readers, and answer templates.

ALTER TABLE waiting_questions ADD COLUMN assignee_id TEXT COLLATE "C";

ALTER TABLE waiting_questions ADD COLUMN group_id TEXT COLLATE "C";

CREATE TABLE question_readers (
    question_id TEXT COLLATE "C" NOT NULL,
    reader TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    opened_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_question_readers PRIMARY KEY (question_id, reader),
    CONSTRAINT fk_question_readers_question_id FOREIGN KEY(question_id) REFERENCES waiting_questions (id) ON DELETE CASCADE
);

CREATE TABLE answer_templates (
    id TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    text TEXT NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_answer_templates PRIMARY KEY (id),
    CONSTRAINT fk_answer_templates_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);

CREATE INDEX ix_answer_templates_course_id ON answer_templates (course_id);
