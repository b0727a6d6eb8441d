import * as z from "zod"

/**
 * Text without control characters. The pattern doesn't use `\p{Cc}`, because it is part of the API description and must
 * work without flags in all languages.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are excluded on purpose
export const ONE_LINE = /^[^\x00-\x1f\x7f-\x9f]*$/

/**
 * Permissions of a caller: to read data, to start and change things, and to manage everyone's tokens. No permission
 * includes another.
 */
export const Scope = z.enum(["read", "run", "admin"])
export type Scope = z.infer<typeof Scope>

/** A person or a pipeline. Only lower case is allowed, so that no two owners look alike. */
export const Owner = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._@-]{0,63}$/,
    "An owner must consist of 1 to 64 lower-case letters, digits, dots, hyphens, @ and _.",
  )

/**
 * The caller of a request. All data belongs to an owner. An owner may have several callers, identified by their tokens.
 */
export interface Principal {
  owner: string
  scopes: Scope[]
  tokenId: string
  /** Set for a browser login, or for a ticket that was issued to a browser login. */
  loginId?: string
}

export const NewToken = z
  .object({
    name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .regex(ONE_LINE, "A name must be a single line of text.")
      .describe("Where the token is used, so that its owner knows which token to revoke"),
    owner: Owner.nullish().describe(
      "Owner of the token, by default you. Only `admin` and `local` can create tokens for these two owners",
    ),
    scopes: z.array(Scope).min(1).max(Scope.options.length),
    expires_in_days: z.int().min(1).max(3650).nullish(),
  })
  .meta({ id: "NewToken" })
export type NewToken = z.infer<typeof NewToken>

/** A token as returned by the API, without its secret. */
export const Token = z
  .object({
    id: z.string(),
    name: z.string(),
    owner: z.string(),
    scopes: z.array(Scope),
    created_at: z.iso.datetime(),
    created_by: z.string().nullable().describe("Owner of the token that created it; null if not recorded"),
    expires_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable().describe("Accurate to the minute"),
  })
  .meta({ id: "Token" })
export type Token = z.infer<typeof Token>

/** A new token, including its secret. */
export const CreatedToken = Token.extend({ secret: z.string().describe("Shown only once") }).meta({
  id: "CreatedToken",
})
export type CreatedToken = z.infer<typeof CreatedToken>

/** The caller, as identified by the server. */
export const Me = z
  .object({
    owner: z.string(),
    scopes: z.array(Scope),
    auth_mode: z.enum(["open", "token"]),
    token_id: z.string().nullable().describe("Null if no token is required"),
    csrf_token: z.string().nullable().describe("Value for the X-CSRF-Token header; only for logged-in browsers"),
  })
  .meta({ id: "Me" })
export type Me = z.infer<typeof Me>
