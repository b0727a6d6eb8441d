import { AppError } from "@switchyard/core/errors"
import type { HostPolicy } from "@switchyard/core/network/host-policy"

/** Throws if the host may not be contacted. Throws `refusal` if a secret would cross the internet unencrypted. */
export async function requireSafeUrl(
  hosts: HostPolicy,
  { hostname, protocol }: URL,
  refusal: string,
  options: { signal: AbortSignal },
): Promise<void> {
  const isPublic = (await hosts.check(hostname, options)) && !hosts.allowsAny
  if (isPublic && protocol === "http:") throw new AppError("validation_error", refusal)
}
