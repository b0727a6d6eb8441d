import * as z from "zod"

/**
 * Text without control characters. It stands in the API's description, where a pattern has no flags and is read by the
 * regular expressions of any language: so no `\p{Cc}`.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it keeps out
export const ONE_LINE = /^[^\x00-\x1f\x7f-\x9f]*$/

/** The permissions of a caller: see what is theirs, start and change it, and manage everybody's tokens. None includes another. */
export const Scope = z.enum(["read", "run", "admin"])
export type Scope = z.infer<typeof Scope>

/** A person or a pipeline. Lower case, so that no two owners look like one. */
const Owner = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._@-]{0,63}$/,
    "An owner must have 1 to 64 lower-case letters, digits, dots, hyphens, @ and _.",
  )

/** The caller of a request. All data belongs to an owner; the token says which calls of that owner's are this one's. */
export interface Principal {
  owner: string
  scopes: Scope[]
  tokenId: string
  /** Of a browser's login, or of a ticket that was issued to one. */
  loginId?: string
}

/** A token that is asked for. */
export const NewToken = z
  .object({
    name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .regex(ONE_LINE, "A name must be a single line of text.")
      .describe("Where it is used, so that its owner knows which one to revoke"),
    owner: Owner.nullish().describe(
      "Whose it is; yours, unless it says otherwise. `admin` and `local` are for tokens of these two alone",
    ),
    scopes: z.array(Scope).min(1).max(Scope.options.length),
    expires_in_days: z.int().min(1).max(3650).nullish(),
  })
  .meta({ id: "NewToken" })
export type NewToken = z.infer<typeof NewToken>

/** A token as the API shows it: all but what its bearer sends. */
export const Token = z
  .object({
    id: z.string(),
    name: z.string(),
    owner: z.string(),
    scopes: z.array(Scope),
    created_at: z.iso.datetime(),
    created_by: z.string().nullable().describe("Owner of the token that made it; null where that wasn't recorded"),
    expires_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable().describe("To the minute"),
  })
  .meta({ id: "Token" })
export type Token = z.infer<typeof Token>

/** A token that was made just now, with what its bearer sends. */
export const CreatedToken = Token.extend({ secret: z.string().describe("Told this once") }).meta({ id: "CreatedToken" })
export type CreatedToken = z.infer<typeof CreatedToken>

/** The caller, as the server knows it. */
export const Me = z
  .object({
    owner: z.string(),
    scopes: z.array(Scope),
    auth_mode: z.enum(["open", "token"]),
    token_id: z.string().nullable().describe("Null where nobody needs a token"),
    csrf_token: z.string().nullable().describe("For a browser that has logged in: what it sends as X-CSRF-Token"),
  })
  .meta({ id: "Me" })
export type Me = z.infer<typeof Me>
