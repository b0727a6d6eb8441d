import type { GitHostKind } from "@switchyard/core/people/git-hosts/schema"

export const kindNames = { github: "GitHub", gitlab: "GitLab", gitea: "Gitea or Forgejo" } satisfies Record<
  GitHostKind,
  string
>

/** The scopes that a token needs for fetching, pushing, pull requests and commit statuses. */
export const neededScopes = {
  github: "The token needs write access to contents, pull requests and commit statuses.",
  gitlab: "The token needs the api and write_repository scopes.",
  gitea: "The token needs write access to repositories.",
} satisfies Record<GitHostKind, string>

/** The best-known host of each kind. */
export const usualHosts: Record<GitHostKind, string> = {
  github: "github.com",
  gitlab: "gitlab.com",
  gitea: "codeberg.org",
}
