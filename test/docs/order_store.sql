CREATE TABLE orders (
    id text PRIMARY KEY,
    pieces integer NOT NULL,
    token text COLLATE "C" NOT NULL -- "C": compared byte by byte, whatever the database's language
);

-- before the read: the row is there
PREPARE make (text) AS
INSERT INTO orders VALUES ($1, 0, '') ON CONFLICT DO NOTHING;

-- the read; no row: refused
PREPARE read (text, text) AS
UPDATE orders SET token = $2
WHERE id = $1 AND token <= $2
RETURNING pieces;

-- the write; no row: refused
PREPARE write (text, text, integer) AS
UPDATE orders SET token = $2, pieces = $3
WHERE id = $1 AND token <= $2
RETURNING pieces;
