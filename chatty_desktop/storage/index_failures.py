"""What LanceDB's errors mean where the index of episodes is on a server for objects.

It has one kind of error for all, with the words of what it is built of and of the server.
"""

from __future__ import annotations

_KEYS = (
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "AccessDenied",
    "AuthenticationFailed",
    "status: 401",
    "status: 403",
    "401 Unauthorized",
    "403 Forbidden",
)

_NO_KEYS = ("CredentialsNotLoaded", "CredentialsProvider", "credential provider", "MissingAccount")

_NO_BUCKET = ("NoSuchBucket", "ContainerNotFound", "The specified bucket does not exist")

_NO_ANSWER = (
    "error sending request",
    "HTTP error",
    "HttpError",
    "Connection refused",
    "dns error",
    "timed out",
    "TimedOut",
    "RetryError",
    "Error performing",
)


def server_trouble(error: Exception, place: str) -> str:
    """What a server did not do, for the person; "" where the error is none of the server's, but
    something is wrong with the tables there."""
    said = str(error)

    def says(signs: tuple[str, ...]) -> bool:
        return any(sign in said for sign in signs)

    if says(_NO_BUCKET):
        return f"There is no such bucket: {place}. Make it there, then open the app again."
    if says(_KEYS):
        return (
            f"The server does not accept the key for {place}. Give the right one by the variables"
            " that your server's own tools read, such as AWS_ACCESS_KEY_ID."
        )
    if says(_NO_KEYS):
        return (
            f"A key is needed for {place}. Give it by the variables that your server's own tools"
            " read, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
        )
    if says(_NO_ANSWER):
        return f"The server of {place} does not answer."
    return ""
