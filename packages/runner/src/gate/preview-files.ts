import type { Manifest } from "@switchyard/core/files/workspaces/manifest"
import type { ProjectFiles } from "@switchyard/core/work/gate/check"
import { toText } from "../git/plumbing/git-path.ts"
import { writeFiles } from "./check-commit.ts"
import { type Commit, filesOfCommit, projectOfFiles } from "./commit-files.ts"
import type { Workdir } from "./workdir.ts"

/** Repository files that are added to a session's own files. */
export interface RepositoryFiles {
  /**
   * Files of the session and the repository as one project. Includes the text of files that determine the project's
   * commands.
   */
  project: ProjectFiles
  /** Adds the repository's files to the session's own files in a workdir. */
  addTo(workdir: Workdir, options: { signal: AbortSignal }): Promise<void>
}

/**
 * Returns the commit's files that the session doesn't contain. The session contains the files that were changed, which
 * may have been edited since the commit.
 */
export async function filesBeside(
  about: Commit,
  own: { project: ProjectFiles; manifest: Manifest },
  options: { signal: AbortSignal },
): Promise<RepositoryFiles> {
  const changed = new Set<string>(own.manifest.files.map(({ path }) => path))
  const files = (await filesOfCommit(about, options)).filter(({ path }) => !changed.has(toText(path)))
  const rest = await projectOfFiles(about, files, options)
  return {
    project: {
      has: (path) => own.project.has(path) || rest.has(path),
      text: (path) => (own.project.has(path) ? own.project.text(path) : rest.text(path)),
      paths: () => [...own.project.paths(), ...rest.paths()],
    },
    addTo: (workdir, given) => writeFiles(about, files, workdir, given),
  }
}
