import { hkdfSync } from "node:crypto"
import type { NewId } from "@switchyard/core/ids"
import { type AnswerLinks, createAnswerLinks } from "@switchyard/core/people/access/answer-links"
import { createLogins } from "@switchyard/core/people/access/logins"
import { createRateLimiter } from "@switchyard/core/people/access/rate-limit"
import { type Principal, Scope } from "@switchyard/core/people/access/schema"
import { createTickets } from "@switchyard/core/people/access/tickets"
import { createTokens } from "@switchyard/core/people/access/tokens"
import { createTriggerLinks } from "@switchyard/core/people/access/trigger-links"
import type { Records } from "@switchyard/core/storage/records"
import type { Clock } from "@switchyard/core/time"
import type { Config } from "./config.ts"

/** Services that authenticate callers and limit their request rates. */
export type Access = ReturnType<typeof createAccess>

/** Caller of every request to a server without login: this machine's user. */
export const LOCAL_PRINCIPAL: Principal = { owner: "local", scopes: Scope.options, tokenId: "open" }

export function createAccess(
  { auth }: Pick<Config, "auth">,
  deps: {
    records: Records
    clock: Clock
    newId: NewId
    report: (error: unknown) => void
    /** Master key of 32 bytes. The signing keys for tickets and links are derived from it. */
    masterKey: Uint8Array
  },
) {
  const tokens = createTokens({ ...deps, adminToken: auth.adminToken })
  const signingKey = keyFor(deps.masterKey, "switchyard/tickets")
  const verifyTokenId = auth.mode === "open" ? async () => ({ principal: LOCAL_PRINCIPAL, hash: "" }) : tokens.verifyId
  const logins = createLogins({ ...deps, tokens })
  return {
    /** Returns true if the caller's token is still valid, and the caller's login too if there is one. */
    async isAuthorized({ tokenId, loginId }: Principal, options: { signal: AbortSignal }): Promise<boolean> {
      if (loginId !== undefined) return logins.isOpen(loginId, options)
      return (await verifyTokenId(tokenId, options)) !== undefined
    },
    tokens,
    logins,
    tickets: createTickets({ ...deps, signingKey, verifyTokenId }),
    answerLinks: openAnswerLinks(deps),
    triggerLinks: createTriggerLinks({ signingKey: keyFor(deps.masterKey, "switchyard/trigger-links") }),
    rateLimiter: createRateLimiter(deps),
  }
}

/** Creates the service for links to questions. The links are signed with a key derived from the master key. */
export function openAnswerLinks({ masterKey, clock }: { masterKey: Uint8Array; clock: Clock }): AnswerLinks {
  return createAnswerLinks({ clock, signingKey: keyFor(masterKey, "switchyard/answer-links") })
}

function keyFor(masterKey: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", masterKey, "", purpose, 32))
}
