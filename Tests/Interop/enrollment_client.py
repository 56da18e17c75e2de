#!/usr/bin/env python3
"""Enrolls with a server, uses it as the pages of the wire say, and tries what they say is refused.

    enrollment_client.py --url https://localhost:8443 --ca ca.pem --user demo --password-file demo-password

The user has the accounts of the demo, and the server runs with --approval-from 100.00, --logins-per-minute 1000, and the
attestation key of the page as --attestation-pin (enrollment.examples --pin prints it).
Prints a line for each step, and ends with 1 at the first that differs.
"""

import argparse
import pathlib
import sys
import tempfile

from enrollment import approvals, enrolling, examples, operator_tokens, signatures, transferring
from enrollment.client import InvalidSignature, Refused
from enrollment.steps import Steps


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("url", "ca", "user", "password-file"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--token-file", help="a token that names the device `sensor`")
    parser.add_argument("--approved-token-file", help="a token whose device another one approves")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="latchkey-enrollment-") as folder:
        steps = Steps(
            arguments.url, arguments.ca, arguments.user, pathlib.Path(arguments.password_file).read_text().strip(),
            pathlib.Path(folder),
        )
        try:
            steps.done(f"the pages' {examples.check()} values are computed again")
            device = enrolling.enroll(steps)
            approvals.register(steps, device)
            if path := arguments.token_file:
                operator_tokens.enroll(steps, pathlib.Path(path).read_text().strip(), "sensor")
            if path := arguments.approved_token_file:
                operator_tokens.approve(steps, device, pathlib.Path(path).read_text().strip())
            transferring.move_money(steps, device)
            signatures.refusals(steps, device)
            signatures.forged_answers(steps, device)
            enrolling.renew(steps, device)
            approvals.in_tpm(steps, enrolling.without_evidence(steps))
            enrolling.server_made(steps)
            enrolling.revoke(steps, device)
        except (AssertionError, Refused, InvalidSignature, OSError) as error:
            print(f"failed after {steps.count} steps and {steps.refused} refusals: {type(error).__name__}: {error}", flush=True)
            return 1
        print(f"{steps.count} steps, {steps.refused} refusals", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
