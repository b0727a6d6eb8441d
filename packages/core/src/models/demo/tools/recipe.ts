import type { Kind, Project, Recipe } from "../project.ts"
import { quoted, snake } from "../source.ts"
import { toolCli } from "./cli.ts"
import { toolPage } from "./page.ts"
import { toolServer } from "./server.ts"
import { literal, moduleFiles, type Tool, type ToolFace } from "./tool.ts"

export function toolRecipe(tool: Tool): Recipe {
  return {
    title: tool.title,
    words: tool.words,
    kind: tool.kind,
    summary: tool.summary,
    features: ({ kind }) => [...tool.features, faces[kind].feature(tool)],
    files: (project) => faces[project.kind].files(tool, project),
    usage: (project) => faces[project.kind].usage(tool, project),
  }
}

const faces = {
  server: toolServer,
  cli: toolCli,
  page: toolPage,
  library: {
    feature: () => "A module to import, without dependencies",
    files: moduleFiles,
    usage: libraryUsage,
  },
} satisfies Record<Kind, ToolFace>

function libraryUsage(tool: Tool, { language }: Project): string {
  const words = language === "python" ? "python" : "script"
  const result = "result" in tool.example ? literal(tool.example.result, words) : "something else each time"
  const fence = "```"
  if (language === "python") {
    const call = `${tool.call.python}(${quoted(tool.example.input)})`
    return `${fence}python\nfrom ${snake(tool.module)} import ${tool.call.python}\n\n${call}  # ${result}\n${fence}`
  }
  const [tag, path] = language === "typescript" ? ["ts", `${tool.module}.ts`] : ["js", `${tool.module}.js`]
  const call = `${tool.call.script}(${quoted(tool.example.input)})`
  return `${fence}${tag}\nimport { ${tool.call.script} } from "./${path}"\n\n${call} // ${result}\n${fence}`
}
