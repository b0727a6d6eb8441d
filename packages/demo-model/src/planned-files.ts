import { readFollowUp } from "./follow-up.ts"
import { type Intent, readIntent } from "./intent.ts"
import { patched } from "./patch.ts"
import type { DemoRequest, PresentFiles } from "./present-files.ts"
import type { Project, ProjectFile } from "./project.ts"
import { projectFiles } from "./project-files.ts"
import { readRecord } from "./project-record.ts"
import { notItsProject, unchanged } from "./refusal.ts"

/** A new project, or the changed files of an existing one. */
export interface PlannedFiles {
  project: Project
  files: ProjectFile[]
  isNew: boolean
}

/** Returns the files to write for a request. Throws a `ModelError` with a message for people if the demo refuses. */
export function plannedFiles(request: DemoRequest, present: PresentFiles): PlannedFiles {
  const intent = readRequest(request)
  const { project } = intent
  const files = project ? projectFiles(project) : []
  if (!present.hasAny) {
    if (!project) throw intent.refused
    return { project, files, isNew: true }
  }
  // A stopped run leaves some of its files behind. The same prompt then writes all of them again.
  const isRest = (file: ProjectFile) => [undefined, file.content].includes(present.texts.get(file.path))
  const isOfIt = (path: string) => files.some((file) => file.path === path)
  if (project && files.every(isRest) && [...present.texts.keys()].every(isOfIt)) {
    return { project, files, isNew: true }
  }
  const recorded = readRecord(present.texts.get("README.md") ?? "")
  if (!recorded || project) throw notItsProject()
  return { ...changeFor(request, recorded, present), isNew: false }
}

/** Reads a request for a new project. A request with elements is about the project that they belong to. */
export function readRequest({ prompt, elements }: DemoRequest): Intent {
  return elements.length > 0 ? { refused: notItsProject() } : readIntent(prompt)
}

function changeFor(
  { prompt, elements }: DemoRequest,
  recorded: Project,
  present: PresentFiles,
): Omit<PlannedFiles, "isNew"> {
  const { project, refused } = readFollowUp(prompt, recorded, elements)
  if (refused) throw refused
  const old = projectFiles(recorded)
  const files = projectFiles(project).filter(({ path, content }) => contentOf(old, path) !== content)
  const edited = files.flatMap(({ path }) => {
    const text = present.texts.get(path)
    return text !== undefined && changedText(path, text, recorded, project) !== undefined ? [] : [path]
  })
  if (edited.length > 0) throw unchanged(`${edited.join(" and ")} can't be changed because of manual edits`, recorded)
  return { project, files }
}

/** Returns a file's changed text, preserving edits elsewhere in the file. */
export function changedText(path: string, present: string, from: Project, to: Project): string | undefined {
  const old = contentOf(projectFiles(from), path)
  const next = contentOf(projectFiles(to), path)
  return old === undefined || next === undefined ? undefined : patched(present, old, next)
}

function contentOf(files: ProjectFile[], path: string): string | undefined {
  return files.find((file) => file.path === path)?.content
}
