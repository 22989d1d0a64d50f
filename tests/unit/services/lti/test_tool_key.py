"""The tool's key pair."""

from __future__ import annotations

from sql_stores import new_stores

from services.lti.tool import ToolKey


def test_the_public_keys_are_read_from_the_store_once(tmp_path):
    """Anyone may ask for them, and importing the private key takes 50 ms."""
    stores = new_stores(tmp_path)
    key = ToolKey(stores.secrets)
    first = key.public_keys()
    stores.close()
    with stores.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE store_secrets")
    assert key.public_keys() == first
    (public,) = first["keys"]
    assert public["alg"] == "RS256"
    assert not {"d", "p", "q"} & public.keys()
    stores.close()
