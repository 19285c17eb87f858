// The instances and their streams. An instance lists all of them, so that one address leads to the others.

const SILENT_AFTER = 2500;
const FORGOTTEN_AFTER = 60_000;
const LOSS_SHOWN_FOR = 30_000;

export class Instances {
  /** Calls onNews(instance, news) for each item, onChange() when an instance has come or gone. */
  constructor(onNews, onChange) {
    this.byPort = new Map();
    this.onNews = onNews;
    this.onChange = onChange;
  }

  all() {
    return [...this.byPort.values()].sort((one, other) => one.port - other.port);
  }

  /** The port of a process; undefined if no instance has this id. */
  portOf(pid) {
    return this.all().find((instance) => instance.pid === pid)?.port;
  }

  connect(port) {
    if (this.byPort.has(port)) {
      return;
    }
    const instance = new Instance(port, this);
    this.byPort.set(port, instance);
    this.onChange(instance, 'appeared');
  }

  /** Connects to instances that others know, and forgets those that nobody has heard of for a while. */
  discover(listed) {
    for (const { port, silentFor } of listed ?? []) {
      if (silentFor < FORGOTTEN_AFTER) {
        this.connect(port);
      }
    }
  }

  forgetOld() {
    const someoneAnswers = this.all().some((instance) => instance.isAnswering());
    for (const instance of this.all()) {
      if (someoneAnswers && instance.silentFor() > FORGOTTEN_AFTER) {
        instance.source.close();
        this.byPort.delete(instance.port);
        this.onChange(instance, 'forgotten');
      }
    }
  }
}

class Instance {
  constructor(port, instances) {
    this.port = port;
    this.pid = null;
    this.state = null;
    this.receivedAt = null;
    this.connectedAt = Date.now();
    this.losses = [];
    this.risks = new Map();
    this.renewedAt = new Map();
    this.message = '';
    this.openRequests = 0;
    this.instances = instances;
    this.open();
  }

  open() {
    this.failed = false;
    this.source = new EventSource(`${this.address()}/live/stream`);
    this.source.addEventListener('error', () => { this.failed = true; });
    this.source.addEventListener('open', () => { this.failed = false; });
    this.source.addEventListener('state', (event) => {
      this.state = JSON.parse(event.data);
      this.pid = this.state.self.pid;
      this.receivedAt = Date.now();
      this.instances.discover(this.state.instances);
    });
    this.source.addEventListener('news', (event) => {
      const news = JSON.parse(event.data);
      this.remember(news);
      this.instances.onNews(this, news);
    });
  }

  address() {
    return `http://${location.hostname}:${this.port}`;
  }

  remember(news) {
    if (news.type === 'lost') {
      this.losses.push({ ...news, until: Date.now() + LOSS_SHOWN_FOR });
    } else if (news.type === 'at risk') {
      this.risks.set(news.lock, news.detail);
    } else if (news.type === 'recovered' || news.type === 'released') {
      this.risks.delete(news.lock);
    } else if (news.type === 'renewed') {
      this.renewedAt.set(news.lock, Date.now());
    }
  }

  recentLosses() {
    this.losses = this.losses.filter((loss) => loss.until > Date.now());
    return this.losses;
  }

  silentFor() {
    return Date.now() - (this.receivedAt ?? this.connectedAt);
  }

  isAnswering() {
    return this.receivedAt !== null && this.silentFor() < SILENT_AFTER;
  }

  status() {
    if (this.isAnswering()) {
      return this.state.problem === null ? 'answers' : 'in trouble';
    }
    // a process that is paused accepts the connection, and sends nothing
    if (this.failed) {
      return 'gone';
    }
    return this.receivedAt === null && this.silentFor() < SILENT_AFTER ? 'connecting' : 'silent';
  }

  /** Connects again if the browser has given up, as it does after a response that is no stream. */
  reopenIfClosed() {
    if (this.source.readyState === EventSource.CLOSED) {
      this.open();
    }
  }

  /** Milliseconds since the times of the state were read. */
  age() {
    return this.receivedAt === null ? 0 : Date.now() - this.receivedAt;
  }

  /** Sends a request; returns the JSON of the response, or throws an error whose message says what to do. */
  async post(path) {
    // A browser opens six connections to an instance, of which the stream is one, and "Pause" and "Kill" need one.
    if (this.openRequests >= 4 && !path.startsWith('/live/')) {
      throw new Error(`Instance ${this.port} has not answered four requests yet. Wait for one of them.`);
    }
    this.openRequests += 1;
    try {
      return await this.send(path);
    } finally {
      this.openRequests -= 1;
    }
  }

  async send(path) {
    let response;
    try {
      response = await fetch(this.address() + path, { method: 'POST', headers: { 'X-Live-Page': 'yes' } });
    } catch {
      throw new Error(`Instance ${this.port} does not answer. It is paused, or it has been stopped.`);
    }
    const text = await response.text();
    const body = text === '' ? {} : JSON.parse(text);
    if (!response.ok) {
      throw new Error(body.detail ?? body.error ?? `Instance ${this.port} answered with status ${response.status}.`);
    }
    return body;
  }
}
