import type { Principal } from "@switchyard/core/people/access/schema"
import { createSharedSocketClient } from "./shared-socket.ts"
import type { SharedStreamDeps } from "./shared-stream.ts"
import { createSocketClient, type SocketClient, type SocketDeps } from "./socket.ts"
import type { SocketSubject } from "./socket-address.ts"
import { createTeamSocketClient } from "./team-socket.ts"

export type AnySocketDeps = SocketDeps & SharedStreamDeps

/** Creates the socket client for a subject. See `createSocketClient` for `client`. */
export function openSocketClient(
  deps: AnySocketDeps,
  principal: Principal,
  subject: SocketSubject,
  options: { client?: string } = {},
): SocketClient<object> {
  if (subject.type === "shared") return createSharedSocketClient(deps, principal, subject.sources)
  if (subject.type === "team") return createTeamSocketClient(deps, principal, subject)
  return createSocketClient(deps, principal, subject, options)
}
