-- The words of a language model about passages are dropped: passages are found by their own words.

DROP TABLE enrichments;
