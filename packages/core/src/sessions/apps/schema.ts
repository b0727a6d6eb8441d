import * as z from "zod"

/** A page published by its owner. */
export const PublishedApp = z
  .object({
    name: z.string().describe("First part of the address"),
    url: z.string().nullable().describe("Public address; null if this browser can't reach it"),
    session_id: z.string().describe("The session that was published. It may have been deleted since"),
    session_name: z.string(),
    version: z.int().positive().describe("Version of the session's files"),
    folder: z.string().describe("Folder that was published; empty for the whole project"),
    file_count: z.int().positive(),
    size_bytes: z.int().nonnegative(),
    published_at: z.iso.datetime(),
  })
  .meta({ id: "PublishedApp" })
export type PublishedApp = z.infer<typeof PublishedApp>

/** A session's published app, and the files that can be published. */
export const SessionApp = z
  .object({
    app: PublishedApp.nullable().describe("The session's published app, if there is one"),
    version: z.int().nonnegative().describe("Current version of the session's files"),
    reason: z.string().nullable().describe("Explanation if the current version can't be published; otherwise null"),
    folder: z.string().describe("Folder that would be published; empty for the whole project"),
    file_count: z.int().nonnegative(),
    size_bytes: z.int().nonnegative(),
    left_out: z.array(z.string()).describe("Files that wouldn't be published, at most 50"),
    left_out_count: z.int().nonnegative(),
    suggested_name: z.string(),
    address: z.string().nullable().describe("Address of an app, with `{name}` in place of its name"),
    opaque: z.boolean().describe("True if apps share one host. Their pages then can't store data"),
  })
  .meta({ id: "SessionApp" })
export type SessionApp = z.infer<typeof SessionApp>

export const NewApp = z.object({ name: z.string().max(200) }).meta({ id: "NewApp" })
