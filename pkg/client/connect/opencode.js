// The plugin of surrealdb-memory for OpenCode. "memory setup clients connect opencode" wrote this file, and
// "memory setup clients disconnect opencode" deletes it. It calls the hook programs by the launcher, and tells the model
// what they answer; whatever goes wrong with them, OpenCode goes on as without it.
import { spawn } from "node:child_process"

const launcher = LAUNCHER
const client = "opencode"
const wait = 5000 // milliseconds, for one program

// The programs that look at a finished tool, beside post-tool-use.
const alsoAfter = { bash: ["post-tool-use-failure"], read: ["pre-tool-use"], edit: ["pre-tool-use"], write: ["pre-tool-use"], apply_patch: ["pre-tool-use"] }

export const SurrealDBMemory = async ({ directory }) => {
  const sessions = new Map() // by id: { source, parent, agent, context, words }
  const texts = new Map() // ids of the assistant's messages, by session

  const sessionOf = (id) => {
    if (!sessions.has(id)) sessions.set(id, { source: "resume" })
    return sessions.get(id)
  }

  // ask runs a program for an event and gives its context for the model.
  const ask = (program, event, id, fields) =>
    new Promise((resolve) => {
      const { parent, agent } = sessionOf(id)
      const input = { hook_event_name: event, session_id: parent ?? id, cwd: directory, ...fields }
      if (parent) Object.assign(input, { agent_id: id, agent_type: agent })
      let said = ""
      try {
        const child = spawn(launcher, [program, "--client", client], { stdio: ["pipe", "pipe", "ignore"], cwd: directory, timeout: wait })
        child.on("error", () => resolve(""))
        child.on("close", () => {
          try {
            resolve(JSON.parse(said).hookSpecificOutput?.additionalContext ?? "")
          } catch {
            resolve("")
          }
        })
        child.stdout.on("data", (part) => (said += part))
        child.stdin.on("error", () => {})
        child.stdin.end(JSON.stringify(input))
      } catch {
        resolve("")
      }
    })

  // start tells the agent of a session that is new in this process, or new after a compaction.
  const start = async (id) => {
    const session = sessionOf(id)
    if (!session.source) return
    const source = session.source
    session.source = undefined
    session.context = session.parent
      ? await ask("subagent-start", "SubagentStart", id, {})
      : await ask("session-start", "SessionStart", id, { source })
  }

  const forget = async (id, reason) => {
    const session = sessions.get(id)
    sessions.delete(id)
    texts.delete(id)
    if (session && !session.parent && !session.source) await ask("session-end", "SessionEnd", id, { reason })
  }

  const events = {
    "session.created": ({ info }) => {
      if (!sessions.has(info.id)) sessions.set(info.id, { source: "startup", parent: info.parentID })
    },
    "session.compacted": ({ sessionID }) => {
      const session = sessionOf(sessionID)
      if (!session.parent) session.source = "compact"
    },
    "session.deleted": ({ info }) => forget(info.id, "other"),
    "message.updated": ({ info }) => {
      if (info.role === "assistant") texts.set(info.sessionID, info.id)
    },
    "message.part.updated": ({ part }) => {
      if (part.type === "text" && !part.synthetic && texts.get(part.sessionID) === part.messageID) sessionOf(part.sessionID).words = part.text
    },
    "session.idle": async ({ sessionID }) => {
      const { parent, words } = sessionOf(sessionID)
      if (!parent) await ask("stop", "Stop", sessionID, { last_assistant_message: words ?? "", stop_hook_active: false })
    },
  }

  return {
    event: async ({ event }) => events[event.type]?.(event.properties),

    "chat.message": async ({ sessionID, agent }, { message, parts }) => {
      const session = sessionOf(sessionID)
      session.agent = agent ?? message.agent
      await start(sessionID)
      const prompt = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")
      if (session.parent || !prompt) return // the assistant has written a subagent's task
      const text = await ask("user-prompt-submit", "UserPromptSubmit", sessionID, { prompt })
      if (text) parts.push({ id: "prt_" + message.id.slice(4) + "zz", sessionID, messageID: message.id, type: "text", text, synthetic: true })
    },

    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      if (!sessionID || system[0]?.startsWith("You are a title generator")) return
      await start(sessionID)
      const { context } = sessionOf(sessionID)
      if (context) system.push(context)
    },

    "tool.execute.before": async ({ tool, sessionID }, { args }) => {
      if (tool === "task") await ask("pre-tool-use", "PreToolUse", sessionID, { tool_name: tool, tool_input: args })
    },

    "tool.execute.after": async ({ tool, sessionID, callID, args }, result) => {
      const response = { output: result.output ?? result.content, exit: result.metadata?.exit ?? null }
      const fields = { tool_name: tool, tool_use_id: callID, tool_input: args, tool_response: response }
      const programs = ["post-tool-use", ...(alsoAfter[tool] ?? [])]
      const answers = await Promise.all(
        programs.map((program) => ask(program, program === "pre-tool-use" ? "PreToolUse" : "PostToolUse", sessionID, fields)),
      )
      const context = answers.filter(Boolean).join("\n")
      if (context && typeof result.output === "string") result.output += "\n" + context
    },

    dispose: async () => {
      await Promise.all([...sessions.keys()].map((id) => forget(id, "other")))
    },

    config: async (config) => {
      config.mcp = { "surrealdb-memory": { type: "local", command: [launcher, "memory-mcp"], enabled: true }, ...config.mcp }
    },
  }
}
