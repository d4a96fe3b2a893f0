#!/usr/bin/env node
// Talks to the referee: says hello, answers requests, comes back after a drop, ends when told to.
// What to play is decided in policy.js, what to remember in habits.js.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import tls from "node:tls";

import { messages, pack } from "./frames.js";
import { Habits } from "./habits.js";
import { chooseCard, chooseDraft, chooseRow } from "./policy.js";

// Milliseconds before each attempt to come back: twice as long each time, up to 5 s, and a minute in all.
const WAITS = [100, 200, 400, 800, 1600, 3200, ...Array(11).fill(5000)];
const CONNECT_MS = 5000;

// Errors after which trying again changes nothing.
const HOPELESS = new Set(["unsupported_version", "unknown_entrant", "name_taken", "registration_closed"]);
// Errors that are like a broken connection; all other fatal ones are bugs of the bot.
const NO_BUGS = new Set(["handshake_timeout", "too_many_connections"]);

/** How a bot ends that has nothing to hope for. */
class GivesUp extends Error {}

const habits = new Habits();

/** For each type of request, how it is answered. */
const ANSWERS = {
  choose_card: (asked) => ({ type: "card", request: asked.request, card: chooseCard(asked, habits.of(asked.game)) }),
  choose_row: (asked) => ({ type: "row", request: asked.request, row: chooseRow(asked) }),
  choose_draft: (asked) => ({ type: "draft", request: asked.request, card: chooseDraft(asked) }),
};

/** Play until told to end, and come back whenever the connection breaks. */
async function stay(address, hello) {
  let failures = 0;
  let bugs = 0;
  for (;;) {
    const { welcomed, end } = await play(address, hello);
    if (welcomed) failures = 0;
    if (end?.type === "closing") {
      if (end.retry_ms == null) return;
      await sleep(end.retry_ms);
      continue;
    }
    bugs = end && !NO_BUGS.has(end.code) ? bugs + 1 : 0;
    if (bugs === 3 || HOPELESS.has(end?.code) || failures === WAITS.length) {
      throw new GivesUp(`This bot gives up on the referee at ${address.host}, port ${address.port}.`);
    }
    await sleep(WAITS[failures++]);
  }
}

/**
 * Play on one connection.
 * @returns whether it was welcome, and the closing or fatal error that ended it, if one did
 */
async function play(address, hello) {
  const outcome = { welcomed: false, end: undefined };
  const { socket, connected } = connect(address);
  try {
    await once(socket, connected, { signal: AbortSignal.timeout(CONNECT_MS) });
    socket.write(pack(hello));
    for await (const message of messages(socket)) {
      if (message.type === "welcome") outcome.welcomed = true;
      if (message.type === "error") console.error(message.message);
      if (message.type === "closing" || (message.type === "error" && message.fatal)) {
        outcome.end = message;
        break;
      }
      habits.follow(message);
      // All else may be ignored, and what this bot has never heard of must be.
      if (Object.hasOwn(ANSWERS, message.type)) socket.write(pack(ANSWERS[message.type](message)));
    }
  } catch (error) {
    // No referee there, a reset, or bytes that are no message: each is a broken connection.
    console.error(`The connection failed: ${error.message}.`);
  } finally {
    socket.destroy();
  }
  return outcome;
}

/**
 * Connect, by TLS if TAKE5_TLS is set: to 1, trusting whom the system trusts, or to a certificate's file.
 * @returns the socket, and the event that tells that it is connected
 */
function connect(address) {
  const trusted = process.env.TAKE5_TLS;
  if (!trusted) return { socket: net.connect({ ...address, noDelay: true }), connected: "connect" };
  const ca = trusted === "1" ? undefined : readFileSync(trusted);
  return { socket: tls.connect({ ...address, ca }).setNoDelay(), connected: "secureConnect" };
}

/** Return what the referee says in the environment when it starts a bot. */
function setting(key) {
  const value = process.env[`TAKE5_${key}`];
  if (value === undefined) throw new GivesUp(`TAKE5_${key} is not set: the referee sets it when it starts a bot.`);
  return value;
}

try {
  const address = { host: setting("HOST"), port: Number(setting("PORT")) };
  const [name, secret] = [setting("NAME"), setting("SECRET")];
  // Several games at once are no trouble, since habits are kept game by game.
  await stay(address, { type: "hello", name, secret, versions: [1], games: 8, events: true, client: "sample-javascript" });
} catch (error) {
  if (!(error instanceof GivesUp)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
