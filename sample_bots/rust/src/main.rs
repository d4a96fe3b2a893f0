//! Plays Take 5 as the environment says until told to end, and comes back whenever the connection breaks.
//!
//! Here is what talks to the referee, over a plain blocking socket; `search` decides, and `table` has the rules
//! that it needs for that.

mod search;
mod table;

use std::env;
use std::io::{self, Error, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What the referee says, as far as this bot needs it. Serde passes over fields that are not named here.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Incoming {
    Welcome,
    ChooseCard(Request),
    ChooseRow(Request),
    ChooseDraft(Request),
    Error {
        code: String,
        message: String,
        fatal: bool,
    },
    Closing {
        retry_ms: Option<u64>,
    },
    /// All else may be ignored, and what this bot has never heard of must be.
    #[serde(other)]
    Other,
}

/// The three requests in one: what one kind of them lacks stays empty.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Request {
    request: u64,
    rules: Rules,
    rows: Vec<Vec<u8>>,
    cow: Option<usize>,
    seen: Vec<u8>,
    hands: Option<Vec<Vec<u8>>>,
    totals: Vec<u64>,
    seat: usize,
    hand: Vec<u8>,
    cards: Vec<u8>,
    choices: Vec<u8>,
    bot_seed: u64,
}

#[derive(Default, Deserialize)]
struct Rules {
    highest_card: u8,
    jumping_cow: bool,
}

impl Request {
    fn players(&self) -> usize {
        self.totals.len()
    }

    /// Returns the cards that this seat has never seen.
    fn hidden(&self) -> Vec<u8> {
        let known = |card: &u8| self.seen.contains(card) || self.hand.contains(card);
        (1..=self.rules.highest_card).filter(|card| !known(card)).collect()
    }
}

/// What this bot says.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Outgoing<'a> {
    Hello { name: &'a str, secret: &'a str, versions: [u8; 1], client: &'a str },
    Card { request: u64, card: u8 },
    Row { request: u64, row: u8 },
    Draft { request: u64, card: u8 },
}

/// How a connection ended.
enum End {
    Broken,
    Fatal(String),
    Closing(Option<u64>),
}

/// The most bytes of a message.
const FRAME_LIMIT: usize = 65536;

/// Tenths of a second before each attempt to come back: twice as long each time, up to 5 s, and a minute in all.
const WAITS: [u64; 17] = [1, 2, 4, 8, 16, 32, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50];

/// Errors after which trying again changes nothing.
const HOPELESS: [&str; 4] = ["unsupported_version", "unknown_entrant", "name_taken", "registration_closed"];

/// Errors that are like a broken connection; all other fatal ones are bugs of the bot.
const NO_BUGS: [&str; 2] = ["handshake_timeout", "too_many_connections"];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let (host, port) = (setting("TAKE5_HOST")?, setting("TAKE5_PORT")?);
    let (name, secret) = (setting("TAKE5_NAME")?, setting("TAKE5_SECRET")?);
    let address = format!("{host}:{port}");
    let hello = Outgoing::Hello { name: &name, secret: &secret, versions: [1], client: "searcher" };
    let (mut failures, mut bugs) = (0, 0);
    loop {
        let mut welcomed = false;
        let end = play(&address, &hello, &mut welcomed).unwrap_or_else(|error| {
            eprintln!("The connection to the referee failed: {error}.");
            End::Broken
        });
        if welcomed {
            failures = 0;
        }
        bugs = match &end {
            End::Closing(None) => return Ok(()),
            End::Closing(Some(retry_ms)) => {
                sleep(Duration::from_millis(*retry_ms));
                continue;
            }
            End::Fatal(code) if HOPELESS.contains(&code.as_str()) => WAITS.len(),
            End::Fatal(code) if !NO_BUGS.contains(&code.as_str()) => bugs + 1,
            _ => 0,
        };
        if bugs >= 3 || failures == WAITS.len() {
            return Err(format!("This bot gives up on the referee at {host}, port {port}."));
        }
        sleep(Duration::from_millis(100 * WAITS[failures]));
        failures += 1;
    }
}

fn setting(key: &str) -> Result<String, String> {
    env::var(key).map_err(|_| format!("{key} is not set: the referee sets it when it starts a bot."))
}

/// Plays on one connection, to its end.
fn play(address: &str, hello: &Outgoing, welcomed: &mut bool) -> io::Result<End> {
    let mut link = connect(address)?;
    send(&mut link, hello)?;
    while let Some(message) = receive(&mut link)? {
        match message {
            Incoming::Welcome => *welcomed = true,
            Incoming::ChooseCard(asked) => {
                let card = search::choose_card(&asked);
                send(&mut link, &Outgoing::Card { request: asked.request, card })?;
            }
            Incoming::ChooseRow(asked) => {
                let row = search::choose_row(&asked);
                send(&mut link, &Outgoing::Row { request: asked.request, row })?;
            }
            Incoming::ChooseDraft(asked) => {
                let card = search::choose_draft(&asked);
                send(&mut link, &Outgoing::Draft { request: asked.request, card })?;
            }
            Incoming::Error { code, message, fatal } => {
                eprintln!("{message}");
                if fatal {
                    return Ok(End::Fatal(code));
                }
            }
            Incoming::Closing { retry_ms } => return Ok(End::Closing(retry_ms)),
            Incoming::Other => {}
        }
    }
    Ok(End::Broken)
}

/// Connects to the first of a host's addresses that answers.
fn connect(address: &str) -> io::Result<TcpStream> {
    let mut failure = Error::new(ErrorKind::NotFound, "the host has no address");
    for place in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&place, Duration::from_secs(5)) {
            Ok(link) => return link.set_nodelay(true).map(|()| link),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// Sends one message: its length in 4 bytes, big-endian, then the msgpack, all with one call.
fn send(link: &mut TcpStream, message: &Outgoing) -> io::Result<()> {
    let payload = rmp_serde::to_vec_named(message).map_err(Error::other)?;
    let length = (payload.len() as u32).to_be_bytes();
    match link.write_all(&[&length[..], &payload].concat()) {
        // The connection is at its end; `receive` will say so, after what the referee still had to say.
        Err(error) if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => Ok(()),
        sent => sent,
    }
}

/// Returns the next message, or nothing at the end of the connection, however the network tore the bytes.
fn receive(link: &mut impl Read) -> io::Result<Option<Incoming>> {
    let mut length = [0; 4];
    match link.read_exact(&mut length) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u32::from_be_bytes(length) as usize;
    if length > FRAME_LIMIT {
        return Err(Error::new(ErrorKind::InvalidData, "a frame that is too large"));
    }
    let mut payload = vec![0; length];
    link.read_exact(&mut payload)?;
    rmp_serde::from_slice(&payload).map(Some).map_err(|error| Error::new(ErrorKind::InvalidData, error))
}
