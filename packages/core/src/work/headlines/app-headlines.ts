import { formatCount } from "../../text/format.ts"
import { row, success } from "./headline.ts"

interface Published {
  name: string
  workspace_version: number
  file_count: number
}

/** Headlines for events of a session's published app. */
export const appHeadlines = {
  app_published: ({ name, workspace_version, file_count }: Published) =>
    success("system", `Version ${workspace_version} was published as ${name}`, [formatCount(file_count, "file")]),
  app_withdrawn: ({ name }: { name: string }) => row("system", `The published app ${name} was withdrawn`),
}
