-- The maker of a key, with whose rights it is revoked.

ALTER TABLE course_keys ADD COLUMN maker_id TEXT COLLATE "C";
