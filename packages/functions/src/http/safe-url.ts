import { AppError } from "@switchyard/core/errors"
import type { HostPolicy } from "@switchyard/core/network/host-policy"

/**
 * Throws if the server may not contact the host. Throws an error with the message `refusal` if the URL would send a
 * secret over the internet unencrypted.
 */
export async function requireSafeUrl(
  hosts: HostPolicy,
  { hostname, protocol }: URL,
  refusal: string,
  options: { signal: AbortSignal },
): Promise<void> {
  const isPublic = (await hosts.check(hostname, options)) && !hosts.allowsAny
  if (isPublic && protocol === "http:") throw new AppError("validation_error", refusal)
}
