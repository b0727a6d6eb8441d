import { AppError } from "../../errors.ts"

/** Validates a caller's workspace ID. Empty input means the caller's `default` workspace. */
export function workspaceId(input: string | null | undefined): string {
  const id = input?.trim() || "default"
  if (/^[A-Za-z0-9_-]{1,128}$/.test(id)) return id
  throw new AppError(
    "workspace_validation_error",
    "A workspace id must be 1 to 128 characters long: letters, digits, hyphens or underscores.",
    { workspace_id: id.slice(0, 256) },
  )
}
