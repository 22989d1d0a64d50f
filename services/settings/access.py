"""Who comes in and what goes out: keys, log-ins, retention, webhooks, e-mail and LTI."""

from __future__ import annotations

from pydantic import Field, SecretStr

from services.settings.base import HttpUrl, SettingsGroup


class AccessSettings(SettingsGroup):
    """Who comes in and what goes out."""

    admin_key: SecretStr | None = Field(default=None, min_length=16)
    """Key for creating courses and keys over HTTP; not possible when unset."""
    old_admin_key: SecretStr | None = Field(default=None, min_length=16)
    """The admin key before VTA_ADMIN_KEY; works too while this is set, for a change without a gap."""
    open_sidebar: bool = True
    """Whether students may ask without a visitor's token or a platform's key; set it to `false` when you
    embed the sidebar."""
    retention_days: int | None = Field(default=None, ge=1, le=36_500)
    """Days after which turns are erased: at server start and daily while it runs; kept forever when unset."""
    webhook_private_addresses: bool = False
    """Whether webhooks may use http and private addresses; any instructor can name them."""
    website_private_addresses: bool = False
    """Whether websites that are read may have http and private addresses; any instructor can name them, and
    reads what they show."""
    smtp_url: str | None = Field(default=None, repr=False, pattern=r"^smtps?://[^\s/]+$")
    """Mail server, such as `smtps://user:password@mail.example:465`, for notices of new questions; no e-mail
    when unset."""
    mail_from: str | None = Field(default=None, pattern=r"^[^\r\n]*[^@\s]+@[^@\s]+$")
    """Sender of these e-mails; required with VTA_SMTP_URL."""
    oidc_issuer: HttpUrl | None = None
    """Issuer of the school's OpenID Connect log-in; instructors then log in there, and passwords are off."""
    oidc_client_id: str | None = None
    """Client id that the school gave."""
    oidc_client_secret: SecretStr | None = None
    """Client secret, if any."""
    public_url: HttpUrl | None = None
    """The address at which browsers reach this server, for LTI, links and e-mails; when unset, links are made
    only at this machine's own addresses."""
    lti_private_addresses: bool = False
    """Whether LTI platforms may use http and private addresses."""
