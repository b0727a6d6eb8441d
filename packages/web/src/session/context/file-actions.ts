import { type ComponentType, createContext } from "react"

/** Further actions on the file in the editor. The shell provides them, because they show parts that show files. */
export const FileActions = createContext<ComponentType<{ path: string }> | null>(null)
