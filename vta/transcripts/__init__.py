"""Yes/no questions over long transcripts: cut, ask each piece, conclude."""
