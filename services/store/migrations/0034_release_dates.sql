-- The release date of a document, and whether the document waits for it.

ALTER TABLE documents ADD COLUMN release_at TIMESTAMP WITH TIME ZONE;

ALTER TABLE documents ADD COLUMN waits BOOLEAN DEFAULT false NOT NULL;

ALTER TABLE removed_documents ADD COLUMN release_at TIMESTAMP WITH TIME ZONE;

ALTER TABLE removed_documents ADD COLUMN waits BOOLEAN DEFAULT false NOT NULL;
