import type { GitHostKind } from "@switchyard/core/people/git-hosts/schema"

export const kindNames = { github: "GitHub", gitlab: "GitLab", gitea: "Gitea or Forgejo" } satisfies Record<
  GitHostKind,
  string
>

/** The scopes that a token needs for fetching, pushing, pull requests and commit statuses. */
export const neededScopes = {
  github: "A fine-grained token with write access to contents, pull requests and commit statuses.",
  gitlab: "A token with the scopes api and write_repository.",
  gitea: "A token with write access to repositories.",
} satisfies Record<GitHostKind, string>

/** The best-known host of each kind. */
export const usualHosts = { github: "github.com", gitlab: "gitlab.com", gitea: "codeberg.org" } satisfies Record<
  GitHostKind,
  string
>
