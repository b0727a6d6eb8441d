import { hkdfSync } from "node:crypto"
import type { NewId } from "@switchyard/core/ids"
import { createLogins, type Logins } from "@switchyard/core/people/access/logins"
import { createRateLimit, type TakeTurn } from "@switchyard/core/people/access/rate-limit"
import { type Principal, Scope } from "@switchyard/core/people/access/schema"
import { createTickets, type Tickets } from "@switchyard/core/people/access/tickets"
import { createTokens, type Tokens } from "@switchyard/core/people/access/tokens"
import type { Records } from "@switchyard/core/storage/records"
import type { Clock } from "@switchyard/core/time"
import type { Config } from "./config.ts"

/** The services that authenticate callers and limit their rate. */
export interface Access {
  tokens: Tokens
  logins: Logins
  tickets: Tickets
  take: TakeTurn
}

/** Without log-in there is one caller: the person at this machine. */
export const ANYONE: Principal = { owner: "local", scopes: Scope.options, tokenId: "open" }

export function createAccess(
  { auth }: Pick<Config, "auth">,
  deps: {
    records: Records
    clock: Clock
    newId: NewId
    report: (error: unknown) => void
    /** 32 bytes. Tickets are signed with a key that is derived from it. */
    masterKey: Uint8Array
  },
): Access {
  const tokens = createTokens({ ...deps, adminToken: auth.adminToken })
  const signingKey = new Uint8Array(hkdfSync("sha256", deps.masterKey, "", "switchyard/tickets", 32))
  const standing = auth.mode === "open" ? async () => ({ principal: ANYONE, hash: "" }) : tokens.standing
  return {
    tokens,
    logins: createLogins({ ...deps, tokens }),
    tickets: createTickets({ ...deps, signingKey, standing }),
    take: createRateLimit(deps),
  }
}
