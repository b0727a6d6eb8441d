import type { Project, ProjectFile, Recipe } from "./project.ts"
import { recordOf } from "./project-record.ts"

export const madeBy =
  "Made by fixed rules by Switchyard's scripted demo model, not by a language model; set a model key to work with a real one."

/** Returns the README. It ends with the project record, which the next prompt reads. */
export function readme(
  project: Project,
  { summary }: Recipe,
  { usage, files }: { usage: string; files: ProjectFile[] },
): ProjectFile {
  const content = `# ${project.name}

${summary}

Needs Node.js ${project.language === "typescript" ? 24 : 20} or newer and nothing else.

## Use

${usage}

## Test

\`\`\`sh
npm test
\`\`\`

## Files

${files.map(({ path, purpose }) => `- \`${path}\`: ${purpose}`).join("\n")}

---

${madeBy}

${recordOf(project)}
`
  return { path: "README.md", purpose: "Says what the project does, how to start it and how to test it.", content }
}
