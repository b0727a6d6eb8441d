import { isHttp } from "@switchyard/core/files/worktrees/remote"
import type { createGitHooks, GitHooks } from "@switchyard/core/people/git-hooks/git-hooks"
import type { createGitHosts, GitHosts } from "@switchyard/core/people/git-hosts/git-hosts"
import type { createGitHostGrants, GitHostGrants } from "@switchyard/core/sessions/git-host-grants"

type GitDeps = Parameters<typeof createGitHosts>[0] &
  Parameters<typeof createGitHooks>[0] &
  Pick<Parameters<typeof createGitHostGrants>[0], "repositoryCredentials">

interface GitParts {
  gitHosts: GitHosts
  gitHostGrants: GitHostGrants
  gitHooks: GitHooks
}

/** Loads git credentials and repository hooks on demand, because most processes need neither. */
export function lazyGit(deps: GitDeps): GitParts {
  let loading: Promise<GitParts> | undefined
  const opened = () => {
    loading ??= openGit(deps)
    return loading
  }
  return {
    gitHosts: {
      put: async (...given) => (await opened()).gitHosts.put(...given),
      list: async (...given) => (await opened()).gitHosts.list(...given),
      remove: async (...given) => (await opened()).gitHosts.remove(...given),
      open: async (...given) => (await opened()).gitHosts.open(...given),
    },
    gitHostGrants: {
      async grant(owner, session, url, options) {
        if (isHttp(url)) await (await opened()).gitHostGrants.grant(owner, session, url, options)
      },
      put: async (...given) => (await opened()).gitHostGrants.put(...given),
      remove: async (...given) => (await opened()).gitHostGrants.remove(...given),
    },
    gitHooks: {
      create: async (...given) => (await opened()).gitHooks.create(...given),
      list: async (...given) => (await opened()).gitHooks.list(...given),
      remove: async (...given) => (await opened()).gitHooks.remove(...given),
      open: async (...given) => (await opened()).gitHooks.open(...given),
    },
  }
}

async function openGit(deps: GitDeps): Promise<GitParts> {
  const [hosts, hooks, grants] = await Promise.all([
    import("@switchyard/core/people/git-hosts/git-hosts"),
    import("@switchyard/core/people/git-hooks/git-hooks"),
    import("@switchyard/core/sessions/git-host-grants"),
  ])
  const gitHosts = hosts.createGitHosts(deps)
  return {
    gitHosts,
    gitHostGrants: grants.createGitHostGrants({ ...deps, gitHosts }),
    gitHooks: hooks.createGitHooks(deps),
  }
}
