import { AppError } from "../../errors.ts"

/** The workspace that a caller names; nothing, or white space, means their own `default`. */
export function workspaceId(input: string | null | undefined): string {
  const id = input?.trim() || "default"
  if (/^[A-Za-z0-9_-]{1,128}$/.test(id)) return id
  throw new AppError(
    "workspace_validation_error",
    "A workspace id has 1 to 128 letters, digits, hyphens and underscores.",
    { workspace_id: id.slice(0, 256) },
  )
}
