import * as z from "zod"

/** Creates the error for a setting that another setting or AWS doesn't allow. Its text names the setting. */
export function settingError(name: string, message: string, input: unknown): z.ZodError {
  const error = new z.ZodError([{ code: "custom", path: [name], message, input }])
  return Object.assign(error, { message: `${name}: ${message}` })
}
