import type { NodeName } from "@switchyard/core/work/workflow/schema"

/** All of the studio's paths, defined once. Slashes in a file's path are preserved. */
export const paths = {
  home: () => "/",
  studio: () => "/studio",
  session: (id: string) => `/s/${encodeURIComponent(id)}`,
  run: (id: string) => `/s/${encodeURIComponent(id)}/run`,
  /** A pane of the run screen. `about`: the file that is open, or the node whose prompt is shown. */
  pane: (id: string, show: RunPane | "conversation", about: { file?: string; prompt?: string; seq?: string } = {}) =>
    `${paths.run(id)}?${new URLSearchParams({ show, ...about })}`,
  /** An agent in the session, by name. */
  agent: (id: string, name = "main") => `/s/${encodeURIComponent(id)}/a/${encodeURIComponent(name)}`,
  term: (id: string, pty = "") => `/s/${encodeURIComponent(id)}/term${pty ? `/${pty}` : ""}`,
  changes: (id: string, file = "") =>
    `/s/${encodeURIComponent(id)}/changes${file && `/${file.split("/").map(encodeURIComponent).join("/")}`}`,
  /** Changes in a worktree other than the latest run's. */
  changesOf: (id: string, worktree: string) => `${paths.changes(id)}?worktree=${encodeURIComponent(worktree)}`,
  merge: (id: string) => `/s/${encodeURIComponent(id)}/merge`,
  bakeOffs: (id: string) => `/s/${encodeURIComponent(id)}/bake-offs`,
  files: (id: string, file = "") =>
    `/s/${encodeURIComponent(id)}/files/${file.split("/").map(encodeURIComponent).join("/")}`,
  team: (id: string) => `/s/${encodeURIComponent(id)}/team`,
  chat: (id: string) => `/s/${encodeURIComponent(id)}/chat`,
  preview: (id: string) => `/s/${encodeURIComponent(id)}/preview`,
  prompts: (id: string, node: NodeName = "planner") => `/s/${encodeURIComponent(id)}/prompts/${node}`,
  needs: () => "/needs",
  usage: (choices: Record<string, string> = {}) => {
    const query = new URLSearchParams(choices).toString()
    return `/usage${query && `?${query}`}`
  },
  settings: (section: SettingsSection = "appearance") => `/settings/${section}`,
  connect: () => "/connect",
  login: () => "/login",
  about: () => "/about",
  guide: () => "/docs",
}

/** Panes of the run screen, in the order of their tabs. */
export const runPanes = ["app", "code", "log", "graph"] as const
export type RunPane = (typeof runPanes)[number]

export const settingsSections = [
  "appearance",
  "model",
  "accounts",
  "limits",
  "permissions",
  "verification",
  "repositories",
  "git-hosts",
  "git-hooks",
  "apps",
  "tokens",
  "data",
] as const
export type SettingsSection = (typeof settingsSections)[number]
