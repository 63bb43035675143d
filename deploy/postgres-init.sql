-- Runs once, as the superuser, when the database's folder is empty: the gateway's own user and
-- database. An empty password is none, and nobody signs in with it. Outside Compose
-- DATABASE_PASSWORD_FILE names the file that has the password.
\set ON_ERROR_STOP on
\set password `cat "${DATABASE_PASSWORD_FILE:-/run/secrets/database_password}"`
CREATE ROLE cep LOGIN PASSWORD :'password' CONNECTION LIMIT 80;
CREATE DATABASE cep OWNER cep;
REVOKE ALL ON DATABASE cep FROM PUBLIC;
