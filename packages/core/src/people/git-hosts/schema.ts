import * as z from "zod"

/** Software of a git host. It determines the host's API. */
export const GitHostKind = z.enum(["github", "gitlab", "gitea"])
export type GitHostKind = z.infer<typeof GitHostKind>

const NO_HOST = "It must be a host name, such as github.com."

/** Name of a git host. Includes the port if it isn't the default. Case-insensitive. */
export const GitHostName = z
  .string()
  .max(259)
  .toLowerCase()
  .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/, NO_HOST)
  .refine((name) => URL.canParse(`https://${name}`), NO_HOST)

/** Credentials for a git host, as given in a request. */
export const NewGitHost = z
  .strictObject({
    token: z
      .string()
      .trim()
      .min(1)
      .max(4000)
      .regex(/^[!-~]+$/, "A token can't contain spaces or special characters.")
      .describe("Stored encrypted and never shown again"),
    kind: GitHostKind.optional().describe("Required for hosts other than github.com, gitlab.com and codeberg.org"),
    username: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .regex(/^[!-9;-~]+$/, "A user name can't contain spaces, colons or special characters.")
      .nullish()
      .describe("Needed only for tokens with a user name, such as GitLab deploy tokens"),
    scheme: z.enum(["https", "http"]).default("https"),
    api_url: z
      .url({ protocol: /^https?$/, error: "The URL must start with https:// or http://." })
      .max(2000)
      .refine(isPlainUrl, "The URL must not contain credentials, a query or a fragment.")
      .nullish()
      .describe("URL of the host's API, if it isn't the default"),
  })
  .meta({ id: "NewGitHost" })
export type NewGitHost = z.infer<typeof NewGitHost>

/** A git host as returned by the API, without its token. */
export const GitHost = z
  .object({
    host: z.string(),
    kind: GitHostKind,
    username: z.string().nullable(),
    scheme: z.enum(["https", "http"]),
    api_url: z.string(),
    created_at: z.iso.datetime(),
    rotated_at: z.iso.datetime().describe("When its token was last replaced"),
  })
  .meta({ id: "GitHost" })
export type GitHost = z.infer<typeof GitHost>

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { username, password, search, hash } = new URL(text)
  return `${username}${password}${search}${hash}` === ""
}
