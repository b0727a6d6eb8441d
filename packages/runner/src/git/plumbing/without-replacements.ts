import type { Git } from "./git.ts"

/**
 * Returns a git that ignores replace refs. Agents can create such refs to make git return different content for an
 * object ID.
 */
export function withoutReplacements(git: Git): Git {
  const plain: Git = Object.assign(
    (...[args, call]: Parameters<Git>) => git(args, { ...call, env: { ...call.env, GIT_NO_REPLACE_OBJECTS: "1" } }),
    { files: git.files, isShared: git.isShared },
  )
  return plain
}
