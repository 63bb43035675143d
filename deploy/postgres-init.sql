-- Runs once, as the superuser, when the database's folder is empty: the database, and two users of the
-- gateway. `cep_owner` migrates and owns the tables. `cep` serves, with the rights that
-- `cep-gateway migrate --serving-role cep` gives it: it can't change the audit log. An empty password is
-- none, and nobody signs in with it. Outside Compose DATABASE_PASSWORD_FILE and OWNER_PASSWORD_FILE name
-- the files that have the passwords.
\set ON_ERROR_STOP on
\set owner_password `cat "${OWNER_PASSWORD_FILE:-/run/secrets/owner_password}"`
\set password `cat "${DATABASE_PASSWORD_FILE:-/run/secrets/database_password}"`
CREATE ROLE cep_owner LOGIN PASSWORD :'owner_password' CONNECTION LIMIT 10;
CREATE ROLE cep LOGIN PASSWORD :'password' CONNECTION LIMIT 80;
CREATE DATABASE cep OWNER cep_owner;
REVOKE ALL ON DATABASE cep FROM PUBLIC;
GRANT CONNECT ON DATABASE cep TO cep;
