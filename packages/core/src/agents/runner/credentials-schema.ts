import * as z from "zod"
import { ReachedBudget } from "../../people/budget/schema.ts"
import { LoginRequest } from "./login-schema.ts"

/**
 * Proof that a process is the runner that was launched for a session. It is valid for one generation and one attempt.
 */
export const RunnerTicket = z.object({
  sid: z.string().regex(/^[\w-]{1,128}$/),
  generation: z.int().positive(),
  attempt: z.int().positive(),
  secret: z.string().min(1).max(100),
})
export type RunnerTicket = z.infer<typeof RunnerTicket>

export const CredentialsRequest = z.object({ ticket: RunnerTicket, executor: z.string().min(1).max(200) })
export type CredentialsRequest = z.infer<typeof CredentialsRequest>

/**
 * Credentials for the records and blobs of one session, and the ticket to exchange for the next credentials. Null if
 * the ticket in the request isn't valid.
 */
export const CredentialsAnswer = z.object({
  granted: z
    .object({
      accessKeyId: z.string(),
      secretAccessKey: z.string(),
      sessionToken: z.string(),
      expiration: z.iso.datetime(),
      ticket: RunnerTicket,
    })
    .nullable(),
})
export type CredentialsAnswer = z.infer<typeof CredentialsAnswer>

/** A runner's request for an owner's budget. The owner must have a run in the runner's session. */
export const OwnerBudgetRequest = CredentialsRequest.extend({ budget_of: z.string().min(1).max(100) })
export type OwnerBudgetRequest = z.infer<typeof OwnerBudgetRequest>

/** An owner's budget, or null if the ticket isn't valid. `reached` is set once the budget is used up. */
export const OwnerBudgetAnswer = z.object({
  budget: z.object({ is_set: z.boolean(), reached: ReachedBudget.nullable() }).nullable(),
})
export type OwnerBudgetAnswer = z.infer<typeof OwnerBudgetAnswer>

/**
 * A runner's request about an archive of prepared tools or dependencies. The owner and the repository of the run, which
 * must belong to the runner's session, decide which archives it can reach.
 */
export const ArchiveRequest = CredentialsRequest.extend({
  archive: z.object({
    act: z.enum(["find", "keep"]),
    run_id: z.string().min(1).max(100),
    name: z.string().regex(/^[0-9a-f]{64}$/),
  }),
})
export type ArchiveRequest = z.infer<typeof ArchiveRequest>

/** URL for reading the archive. Null if it wasn't found, if it was to be stored, or if the ticket isn't valid. */
export const ArchiveAnswer = z.object({ archive: z.object({ url: z.url().nullable() }) })
export type ArchiveAnswer = z.infer<typeof ArchiveAnswer>

/** A runner's request about an account's login. */
export const RunnerLoginRequest = CredentialsRequest.extend({ login: LoginRequest })
export type RunnerLoginRequest = z.infer<typeof RunnerLoginRequest>
