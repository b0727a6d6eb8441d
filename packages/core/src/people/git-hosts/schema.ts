import * as z from "zod"

/** The software of a git host, which decides how its API is called. */
export const GitHostKind = z.enum(["github", "gitlab", "gitea"])
export type GitHostKind = z.infer<typeof GitHostKind>

const NO_HOST = "It must be the name of a host, such as github.com."

/** The name of a git host, with its port if it has an unusual one. The same whatever its case. */
export const GitHostName = z
  .string()
  .max(259)
  .toLowerCase()
  .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/, NO_HOST)
  .refine((name) => URL.canParse(`https://${name}`), NO_HOST)

/** The credentials for a git host, as a request names them. */
export const NewGitHost = z
  .strictObject({
    token: z
      .string()
      .trim()
      .min(1)
      .max(4000)
      .regex(/^[!-~]+$/, "A token can't have spaces or special characters.")
      .describe("Sealed, and never shown again"),
    kind: GitHostKind.optional().describe("Required for hosts other than github.com, gitlab.com and codeberg.org"),
    username: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .regex(/^[!-9;-~]+$/, "A user name can't have spaces, colons or special characters.")
      .nullish()
      .describe("Only needed for tokens that belong to a user name, such as deploy tokens of GitLab"),
    scheme: z.enum(["https", "http"]).default("https"),
    api_url: z
      .url({ protocol: /^https?$/, error: "The URL must begin with https:// or http://." })
      .max(2000)
      .refine(isPlainUrl, "The URL must not have a user, a query or a fragment.")
      .nullish()
      .describe("The address of the host's API, if it isn't the usual one"),
  })
  .meta({ id: "NewGitHost" })
export type NewGitHost = z.infer<typeof NewGitHost>

/** A git host as the API shows it: all but its token. */
export const GitHost = z
  .object({
    host: z.string(),
    kind: GitHostKind,
    username: z.string().nullable(),
    scheme: z.enum(["https", "http"]),
    api_url: z.string(),
    created_at: z.iso.datetime(),
    rotated_at: z.iso.datetime().describe("The time at which its token was last replaced"),
  })
  .meta({ id: "GitHost" })
export type GitHost = z.infer<typeof GitHost>

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { username, password, search, hash } = new URL(text)
  return `${username}${password}${search}${hash}` === ""
}
