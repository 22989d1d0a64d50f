-- Who made an invitation or a password link. Earlier links, of which that is unknown, are withdrawn.

DROP TABLE invitations;

CREATE TABLE invitations (
    digest TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    invited_by TEXT NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    maker_id TEXT COLLATE "C",
    key_id TEXT COLLATE "C",
    CONSTRAINT pk_invitations PRIMARY KEY (digest),
    CONSTRAINT fk_invitations_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE,
    CONSTRAINT ck_invitations_role CHECK (role IN ('instructor', 'ta')),
    CONSTRAINT fk_invitations_maker_id FOREIGN KEY(maker_id) REFERENCES people (id) ON DELETE CASCADE,
    CONSTRAINT fk_invitations_key_id FOREIGN KEY(key_id) REFERENCES course_keys (id) ON DELETE CASCADE
);

DROP TABLE password_links;

CREATE TABLE password_links (
    digest TEXT COLLATE "C" NOT NULL,
    person_id TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C",
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    maker_id TEXT COLLATE "C",
    key_id TEXT COLLATE "C",
    CONSTRAINT pk_password_links PRIMARY KEY (digest),
    CONSTRAINT fk_password_links_person_id FOREIGN KEY(person_id) REFERENCES people (id) ON DELETE CASCADE,
    CONSTRAINT fk_password_links_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE,
    CONSTRAINT fk_password_links_maker_id FOREIGN KEY(maker_id) REFERENCES people (id) ON DELETE CASCADE,
    CONSTRAINT fk_password_links_key_id FOREIGN KEY(key_id) REFERENCES course_keys (id) ON DELETE CASCADE
);
