/* A bare echo server on epoll: whatever it reads, it sends the same bytes back. Prints its port.
 *
 *     echo REPLY    the file that holds the bytes to send
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_EVENTS = 1024, MOST_REPLY = 65536, BACKLOG = 1024 };

static void fail(const char *what) {
    perror(what);
    exit(EXIT_FAILURE);
}

static size_t read_reply(const char *path, char reply[MOST_REPLY]) {
    FILE *file = fopen(path, "rb");
    size_t length = file == NULL ? 0 : fread(reply, 1, MOST_REPLY, file);
    if (length == 0) {
        fail(path);
    }
    fclose(file);
    return length;
}

static int listen_anywhere(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, BACKLOG) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) < 0) {
        fail("cannot listen");
    }
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

static void watch(int poll, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) < 0) {
        fail("cannot watch");
    }
}

static void take_in(int poll, int listener) {
    int on = 1, link;
    while ((link = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        setsockopt(link, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        watch(poll, link);
    }
}

static void answer(int link, const char *reply, size_t length) {
    static char dropped[MOST_REPLY];
    if (recv(link, dropped, sizeof dropped, 0) <= 0 || send(link, reply, length, MSG_NOSIGNAL) < 0) {
        close(link);
    }
}

int main(int count, char **words) {
    static char reply[MOST_REPLY];
    static struct epoll_event events[MOST_EVENTS];
    if (count != 2) {
        fprintf(stderr, "usage: echo REPLY\n");
        return 2;
    }
    size_t length = read_reply(words[1], reply);
    int poll = epoll_create1(0), listener = listen_anywhere();
    watch(poll, listener);
    for (;;) {
        int ready = epoll_wait(poll, events, MOST_EVENTS, -1);
        for (int i = 0; i < ready; i++) {
            if (events[i].data.fd == listener) {
                take_in(poll, listener);
            } else {
                answer(events[i].data.fd, reply, length);
            }
        }
    }
}
